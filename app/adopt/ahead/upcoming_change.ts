/** A row that the background work of a started hub will change or remove by itself. */
export interface UpcomingChange {
  /** With its service, such as core.projects. */
  readonly table: string
  readonly problem: string
  readonly id: string
}
