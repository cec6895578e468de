import type { Env } from '#configuration/variables'

/** The environment of a program, as `start/env.ts` reads it; `bin/` passes it in. */
export interface ProgramEnvironment {
  readonly env: Env
  /** What a start shows about the configuration. */
  readonly warnings: readonly string[]
}
