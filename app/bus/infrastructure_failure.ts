import { databaseFailure } from '#kernel/database_failures'

/** Whether something the handler needs is away, rather than the message at fault. */
export function isInfrastructureFailure(error: unknown): boolean {
  const status = databaseFailure(error)?.status ?? (error as { status?: number } | null)?.status
  return status === 503 || status === 507
}

export function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
