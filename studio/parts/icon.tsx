/** The studio's icons: 16-pixel strokes in the text's colour. */

const PATHS = {
  back: 'M10 3 5 8l5 5',
  box: 'M2.5 5 8 2.5 13.5 5v6L8 13.5 2.5 11zm0 0L8 7.5 13.5 5M8 7.500v6',
  branch:
    'M4.5 5.2v5.6m0-5.6a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2zm0 8.800a1.600 1.600 0 1 0 0-3.200 1.600 1.600 0 0 0 0 3.200zm7-7.200a1.600 1.600 0 1 0 0-3.200 1.600 1.600 0 0 0 0 3.200zm0 0c0 2.600-3 2.800-7 4',
  chat: 'M2.5 3.5h11v7.5H7l-3 2.5V11H2.5z',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  close: 'm4 4 8 8m0-8-8 8',
  compare: 'M8 2v12M2.5 4.5h3v7h-3zm8 0h3v7h-3z',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  database:
    'M3 4c0-1 2.2-1.8 5-1.8S13 3 13 4s-2.2 1.8-5 1.8S3 5 3 4zm0 0v8c0 1 2.2 1.8 5 1.8s5-.8 5-1.8V4M3 8c0 1 2.2 1.8 5 1.8S13 9 13 8',
  down: 'm3.5 6 4.5 4.5L12.5 6',
  download: 'M8 2v8m-3-3 3 3 3-3M3 13h10',
  edit: 'M3 13v-2.5l7.5-7.500 2.500 2.500-7.500 7.500zM9 4.500l2.500 2.500',
  graph:
    'M8 2.2a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2zM3.8 10.6a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2zm8.4 0a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2zM7 5.2l-2.4 5.4M9 5.2l2.4 5.4',
  heat: 'M8 14c2.8 0 4.5-1.8 4.5-4.2C12.5 6.5 9 5.5 9 2 6 3.5 3.5 6.300 3.500 9.800 3.500 12.200 5.200 14 8 14z',
  history: 'M2.8 8a5.200 5.200 0 1 1 1.600 3.700M2.800 8 1.500 6.500M2.800 8l1.600-1.300M8 5.200V8l2 1.500',
  home: 'M2.500 7.500 8 2.500l5.500 5M4 6.500v7h3v-4h2v4h3v-7',
  library: 'M3 2.500h3v11H3zm3 0h3v11H6zm4.300.6 2.600-.6 2 10.600-2.600.5z',
  log_out: 'M9.500 3H3v10h6.500M6.500 8H14m-2.500-2.500L14 8l-2.500 2.500',
  menu: 'M2.500 4h11m-11 4h11m-11 4h11',
  moon: 'M13 9.500A5.500 5.500 0 0 1 6.500 3 5.500 5.500 0 1 0 13 9.500z',
  open: 'M9.5 2.5h4v4m0-4-6 6M6.5 3.5h-4v10h10v-4',
  panel: 'M2.500 3h11v10h-11zM9.500 3v10',
  plus: 'M8 3v10M3 8h10',
  play: 'M4.5 3v10l8-5z',
  prompt: 'M3 2.500h7l3 3v8H3zM10 2.500v3h3M5.500 8h5m-5 2.500h3',
  refresh: 'M13 8a5 5 0 1 1-1.500-3.600M13 2.500v2.800h-2.800',
  runs: 'M2.500 4h5m-2 4h6m-3 4h5',
  search: 'M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9zM10.300 10.300 13.500 13.500',
  send: 'M8 13V3M4 7l4-4 4 4',
  stop: 'M4.500 4.500h7v7h-7z',
  sun: 'M8 5.200a2.800 2.800 0 1 1 0 5.600 2.800 2.800 0 0 1 0-5.600zM8 1.500v1.300m0 10.400v1.300M1.500 8h1.300m10.400 0h1.300M3.400 3.400l.9.9m7.400 7.400.9.9m0-9.200-.9.9m-7.400 7.400-.9.9',
  thumb_down: 'M5.500 9.500v-7h6l2 4v3H10l.5 3.500c-1.300 0-2-.5-2.300-1.500L7 9.500zm0 0h-3v-7h3',
  thumb_up: 'M5.500 6.500v7h6l2-4v-3H10l.5-3.500c-1.300 0-2 .5-2.300 1.500L7 6.500zm0 0h-3v7h3',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2m-5 0 .6 9h5.8l.6-9M6.800 7v4m2.400-4v4',
  up: 'm3.500 10 4.500-4.500 4.500 4.500',
  upload: 'M8 10V2.500m-3 3 3-3 3 3M3 13h10',
  warning: 'M8 2.500 14 13H2zM8 6.500V9.500m0 1.600v.2',
  workflow: 'M2.500 2.500h4.500v4H2.500zm6.500 7h4.500v4H9zM4.800 6.500v5H9',
} as const;

export type IconName = keyof typeof PATHS;

/** Hidden from screen readers, because its button or the text beside it has a label. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      {...{ width: size, height: size, viewBox: '0 0 16 16', fill: 'none', stroke: 'currentColor' }}
      {...{ strokeWidth: 1.4, strokeLinecap: 'round', strokeLinejoin: 'round' }}
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
