/** A request that a dry run did not send. */
export interface PlannedRequest {
  readonly method: string
  readonly address: string
  readonly body: unknown
}

export interface PlanRecorder {
  recordPlanned(request: PlannedRequest): void
}
