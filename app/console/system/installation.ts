import type { Page } from '#console/page'

/** The state of the installation, as the interface sends it to operators. */
export interface Installation {
  readonly surfaces: readonly {
    readonly name: string
    readonly isReady: boolean
    readonly reasons: readonly string[]
  }[]
  readonly queues: readonly { readonly name: string; readonly dead: number | null }[]
  readonly outbox: readonly { readonly database: string; readonly lagSeconds: number }[]
  readonly sweeps: readonly { readonly name: string; readonly isRunning: boolean }[]
  readonly stuck: readonly StuckAnalysis[]
  readonly credentials: readonly CredentialFinding[]
  readonly backups: readonly { readonly id: string; readonly endedAt: string }[]
}

/** A build or distribution that failed, or whose worker is silent. */
export interface StuckAnalysis {
  readonly analysisId: string
  readonly name: string
  readonly process: string
  readonly status: string
  readonly since: string
  readonly problem: string | null
}

export interface CredentialFinding {
  readonly type: string
  readonly id: string
  readonly name: string | null
  readonly since: string | null
  readonly expiresAt: string | null
  readonly isRenewed: boolean
}

export async function readInstallation({ hub }: Page): Promise<Installation> {
  const { data } = await hub.read<{ data: Installation }>('core', '/admin/status')
  return data
}
