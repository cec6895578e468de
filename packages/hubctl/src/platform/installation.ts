import type { Api } from './api.js'
import type { Fields } from './pages.js'

/** The status of an installation, as operators see it. */
export interface Installation {
  readonly surfaces: readonly {
    readonly name: string
    readonly isReady: boolean
    readonly reasons: readonly string[]
  }[]
  readonly queues: readonly {
    readonly name: string
    readonly isTaken: boolean | null
    readonly dead: number | null
  }[]
  readonly outbox: readonly {
    readonly database: string
    readonly depth: number
    readonly lagSeconds: number
  }[]
  readonly sweeps: readonly { readonly name: string; readonly isRunning: boolean }[]
  readonly stuck: readonly StuckAnalysis[]
  readonly credentials: readonly {
    readonly type: string
    readonly id: string
    readonly name: string | null
    readonly since: string | null
    readonly expiresAt: string | null
    readonly isRenewed: boolean
  }[]
  /** The newest first; missing from platforms that do not note them. */
  readonly backups?: readonly { readonly id: string; readonly endedAt: string }[]
  /** Moves from the former platform that are not closed; missing from platforms that do not report them. */
  readonly adoptions?: readonly { readonly service: string; readonly since: string }[]
}

/** A build or a distribution that failed, or whose worker is silent. */
export interface StuckAnalysis extends Fields {
  readonly analysisId: string
  readonly name: string
  readonly process: string
  readonly status: string
  readonly since: string
  readonly problem: string | null
}

export async function readInstallation(api: Api): Promise<Installation> {
  const { data } = await api.read<{ data: Installation }>('core', '/admin/status')
  return data
}
