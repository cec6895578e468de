import type { Costs } from './costs.js'

/** A share of a suite that one process runs. */
export interface Job {
  readonly suite: string
  readonly files: readonly string[]
  /** Whether no other job may run beside it. */
  readonly isAlone?: boolean
  /** Whether it waits most of its time, so that it takes nothing from those beside it. */
  readonly isWaiting?: boolean
}

/** What the process of a job was given besides: a database of its own, and a folder that is removed after it. */
export interface JobSetting extends Job {
  readonly databaseUrl: string | undefined
  readonly folder: string
  /** A PostgreSQL folder with all tables, for installations that are started whole. */
  readonly cluster: string | undefined
}

/** What a process says of its job when it has run it. */
export interface JobResult {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** By file. */
  readonly costs: Costs
}

const VARIABLE = 'TEST_JOB'

export const environmentOf = (setting: JobSetting) => ({ [VARIABLE]: JSON.stringify(setting) })

/** What the process of a job tells the one that started it; tests may send messages of their own. */
export interface JobMessage {
  readonly jobResult: JobResult
}

const own = process.env[VARIABLE]
// A test run started by a test is independent.
delete process.env[VARIABLE]

/** The job of this process, where it is one of several. */
export function jobOfThisProcess(): JobSetting | undefined {
  return own === undefined ? undefined : (JSON.parse(own) as JobSetting)
}
