/**
 * SQL functions for operations on runs, so that each takes one round trip. The results of a released function never change, because
 * earlier and later releases call it at the same time: a change of its results gets a new version number.
 */
import { ACCEPT } from './accept.ts';
import { CLAIM } from './claim.ts';
import { COMMON } from './common.ts';
import { END } from './end.ts';
import { SERVERS } from './servers.ts';
import { WRITE } from './write.ts';

export const RUN_FUNCTIONS = [COMMON, WRITE, ACCEPT, CLAIM, END, SERVERS].join('');
