import { databaseFailure } from '#kernel/database_failures'

/** Whether the failure is an outage of a dependency rather than the message's fault. */
export function isInfrastructureFailure(error: unknown): boolean {
  const status = databaseFailure(error)?.status ?? (error as { status?: number } | null)?.status
  return status === 503 || status === 507
}

export function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
