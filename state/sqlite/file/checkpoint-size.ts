/**
 * The number of pages in the log after which a commit copies them back to the file: 16 MB. With SQLite's default of 1,000, a
 * busy service copies the same pages back again and again, which takes 53 instead of 31 µs per turn. With a higher limit, a
 * single commit would block the event loop for longer: 10 to 18 ms with 4,000 pages, up to 64 ms with 16,000.
 */
export const AUTOCHECKPOINT_PAGES = 4_000;
