/** A request that was not made, because the caller only wants to know what would be. */
export interface PlannedRequest {
  readonly method: string
  readonly address: string
  readonly body: unknown
}

export interface PlanRecorder {
  recordPlanned(request: PlannedRequest): void
}
