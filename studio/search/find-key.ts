/** The keys that open the finder, as this machine names them. */

export const FIND_KEYS = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';
