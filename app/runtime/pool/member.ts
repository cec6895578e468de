import cluster, { type Worker } from 'node:cluster'
import type { Socket } from 'node:net'

import { StartFailure } from '#runtime/start_failure'
import type { Answers, Question, ToMember, ToPrimary } from './messages.js'

export interface Program {
  /** How the process is called in the pool, and in the list of the system's processes. */
  readonly name: string
  readonly file: string
  readonly environment: NodeJS.ProcessEnv
}
