/** A picture, a sound or a file: what it is, and a picture itself when somebody wants to see it. */
import { useState } from 'react';
import type { Media } from './content-parts.ts';
import { pictureIn } from './data-url.ts';
import { sizeText } from './size-text.ts';
import './media.css';

const LONGEST_ADDRESS = 300;

export function MediaPart({ media }: { media: Media }) {
  const { what, name, data, address } = media;
  const picture = what === 'image' && data ? pictureIn(data) : undefined;
  const facts = [what, name?.slice(0, 200), data?.type, data && sizeText(data.bytes)].filter(Boolean);
  return (
    <div className="media">
      <p className="small">{facts.join(' · ')}</p>
      {picture?.refusal && <p className="muted small">{picture.refusal}</p>}
      {picture?.address && <PictureOf address={picture.address} name={name} />}
      {address !== undefined && <Elsewhere address={address} />}
    </div>
  );
}

/** Few bytes may hold very many pixels, so a picture is drawn when somebody wants to see it. */
function PictureOf({ address, name }: { address: string; name: string | undefined }) {
  const [state, setState] = useState<'closed' | 'open' | 'broken'>('closed');
  if (state === 'broken') return <p className="muted small">The picture can't be drawn.</p>;
  if (state === 'open')
    return (
      <img
        src={address}
        alt={name ?? 'Picture in the message'}
        decoding="async"
        onError={() => setState('broken')}
      />
    );
  return (
    <button type="button" className="button small" onClick={() => setState('open')}>
      Show the picture
    </button>
  );
}

/** A link where it is an address of the web; else words. */
function Elsewhere({ address }: { address: string }) {
  const shown = address.length > LONGEST_ADDRESS ? `${address.slice(0, LONGEST_ADDRESS)}…` : address;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return <code className="small">{shown}</code>;
  return (
    <p className="small">
      <a href={address} target="_blank" rel="noopener noreferrer nofollow">
        {shown}
      </a>{' '}
      <span className="muted">is not loaded here</span>
    </p>
  );
}
