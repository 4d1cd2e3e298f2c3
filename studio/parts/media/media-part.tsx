/** An image, audio, a video or a file of a message: its type and size, and a button that shows an image. */
import { useState } from 'react';
import { sizeText } from '../formats/size-text.ts';
import type { Media } from './content-parts.ts';
import { imageIn } from './data-url.ts';
import './media.css';

const MAX_ADDRESS = 300;

export function MediaPart({ media }: { media: Media }) {
  const { what, name, data, address } = media;
  const image = what === 'image' && data ? imageIn(data) : undefined;
  const facts = [what, name?.slice(0, 200), data?.type, data && sizeText(data.bytes)].filter(Boolean);
  return (
    <div className="media">
      <p className="small">{facts.join(' · ')}</p>
      {image?.problem && <p className="muted small">{image.problem}</p>}
      {image?.address && <ImageOnClick address={image.address} name={name} />}
      {address !== undefined && <Address address={address} />}
    </div>
  );
}

/** Decodes the image only after a click, because a small file may hold very many pixels. */
function ImageOnClick({ address, name }: { address: string; name: string | undefined }) {
  const [state, setState] = useState<'closed' | 'open' | 'broken'>('closed');
  if (state === 'broken') return <p className="muted small">Couldn't show the image.</p>;
  if (state === 'open')
    return (
      <img
        src={address}
        alt={name ?? 'Image in the message'}
        decoding="async"
        onError={() => setState('broken')}
      />
    );
  return (
    <button type="button" className="button small" onClick={() => setState('open')}>
      Show image
    </button>
  );
}

/** A link for an HTTP address, plain text for any other. */
function Address({ address }: { address: string }) {
  const shown = address.length > MAX_ADDRESS ? `${address.slice(0, MAX_ADDRESS)}…` : address;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return <code className="small">{shown}</code>;
  return (
    <p className="small">
      <a href={address} target="_blank" rel="noopener noreferrer nofollow">
        {shown}
      </a>{' '}
      <span className="muted">(not loaded)</span>
    </p>
  );
}
