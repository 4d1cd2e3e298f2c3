/** The log-in form: shown where the service answers 401, and gone once it takes what was given. */
import { type FormEvent, useState } from 'react';
import { forgetAll } from '../resources.ts';
import { logIn, logInWithToken } from '../session.ts';

export function SignIn() {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [byToken, setByToken] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    const said = (name: string) => String(form.get(name)).trim();
    const why = byToken
      ? await logInWithToken(said('token'))
      : await logIn(String(form.get('username')), String(form.get('password')));
    setBusy(false);
    setProblem(why);
    if (why === undefined) forgetAll();
  }

  return (
    <main className="sign-in">
      <form className="panel" onSubmit={submit}>
        <h1>Log in to Skein</h1>
        {byToken ? (
          <label className="labelled">
            Access token or API key
            <input
              className="field"
              name="token"
              type="password"
              autoComplete="off"
              pattern="\s*[!-~]+\s*"
              title="without blanks"
              required
            />
          </label>
        ) : (
          <>
            <label className="labelled">
              Name
              <input className="field" name="username" autoComplete="username" required />
            </label>
            <label className="labelled">
              Password
              <input
                className="field"
                name="password"
                type="password"
                autoComplete="current-password"
                required
              />
            </label>
          </>
        )}
        {problem && (
          <p className="note bad" role="alert">
            <span>{problem}</span>
          </p>
        )}
        <button type="submit" className="button primary" disabled={busy}>
          {busy ? 'Logging in…' : 'Log in'}
        </button>
        <button
          type="button"
          className="button quiet"
          onClick={() => {
            setByToken(!byToken);
            setProblem(undefined);
          }}
        >
          {byToken ? 'Use a name and a password' : 'Use an access token or an API key'}
        </button>
      </form>
    </main>
  );
}
