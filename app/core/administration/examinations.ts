import type { Origin } from '#kernel/origin'
import { enforce } from '#kernel/access'
import { clock } from '#kernel/clock'
import { OPERATOR_ACCESS } from '#auth/operator_access'

/** A problem that the doctor found, with its remedy. */
interface ExaminationFinding {
  readonly code: string
  readonly severity: string
  readonly message: string
  readonly remedy: string
}

/** What the doctor reports. */
export interface ExaminationReport {
  readonly severity: string
  readonly checks: readonly { readonly check: string; readonly state: string }[]
  readonly findings: readonly ExaminationFinding[]
}

/** The last report of this process; without a time if there is none yet. */
export interface Examination {
  readonly examinedAt: string | null
  readonly isExamining: boolean
  readonly severity: string | null
  readonly checks: ExaminationReport['checks']
  readonly findings: ExaminationReport['findings']
}

/** An older report is renewed as soon as somebody reads it. */
const MAX_AGE_MS = 10 * 60_000

interface ExaminationsDependencies {
  /** Examines the installation, which takes some seconds. */
  examine(): Promise<ExaminationReport>
  /** Called if an examination itself fails. */
  onError(error: unknown): void
}

/** Lets operators see what the doctor finds, without a shell. One examination runs at a time, in the background. */
export class Examinations {
  readonly #dependencies: ExaminationsDependencies
  #last: { readonly report: ExaminationReport; readonly at: number } | undefined
  #running: Promise<void> | undefined

  constructor(dependencies: ExaminationsDependencies) {
    this.#dependencies = dependencies
  }

  /** The last report. If it is missing or old, a new examination starts. */
  read({ actor }: Origin): Examination {
    enforce(OPERATOR_ACCESS, actor)
    if (this.#last === undefined || clock.now() - this.#last.at > MAX_AGE_MS) {
      this.#start()
    }
    return this.#state()
  }

  /** Starts an examination, unless one is running. */
  start({ actor }: Origin): Examination {
    enforce(OPERATOR_ACCESS, actor)
    this.#start()
    return this.#state()
  }

  #start(): void {
    this.#running ??= this.#examine().finally(() => {
      this.#running = undefined
    })
  }

  async #examine(): Promise<void> {
    try {
      const report = await this.#dependencies.examine()
      this.#last = { report, at: clock.now() }
    } catch (error) {
      this.#dependencies.onError(error)
    }
  }

  #state(): Examination {
    const { report, at } = this.#last ?? {}
    return {
      examinedAt: at === undefined ? null : new Date(at).toISOString(),
      isExamining: this.#running !== undefined,
      severity: report?.severity ?? null,
      checks: report?.checks ?? [],
      findings: report?.findings ?? [],
    }
  }
}
