/**
 * The actions on runs, each one function and so one round trip. A function is never changed once it is released: releases
 * before and after it call the version that they know.
 */
import { ACCEPT } from './accept.ts';
import { CLAIM } from './claim.ts';
import { COMMON } from './common.ts';
import { END } from './end.ts';
import { SERVERS } from './servers.ts';
import { WRITE } from './write.ts';

export const RUN_FUNCTIONS = [COMMON, WRITE, ACCEPT, CLAIM, END, SERVERS].join('');
