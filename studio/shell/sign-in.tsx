/** The log-in form, shown after the service has responded with 401. */
import { type FormEvent, useState } from 'react';
import { clearResources } from '../service/resources.ts';
import { logIn, logInWithToken } from '../session/session.ts';

export function SignIn() {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [byToken, setByToken] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const form = new FormData(event.currentTarget);
    setBusy(true);
    const field = (name: string) => String(form.get(name)).trim();
    const error = byToken
      ? await logInWithToken(field('token'))
      : await logIn(String(form.get('username')), String(form.get('password')));
    setBusy(false);
    setProblem(error);
    if (error === undefined) clearResources();
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
              title="No spaces"
              required
            />
          </label>
        ) : (
          <>
            <label className="labelled">
              Username
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
        <button type="submit" className="button primary" aria-disabled={busy}>
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
          {byToken ? 'Use a username and password' : 'Use an access token or API key'}
        </button>
      </form>
    </main>
  );
}
