import type { Kind } from '#records/kind'
import type { RecordService } from '#records/record_service'

/** What the container knows the service of a kind by that has no class of its own. */
type NameOfService = `records.${string}`

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    [service: NameOfService]: RecordService
  }
}

/** What the container knows a service by: its class, or the name that stands for its kind. */
export type ServiceKey = (abstract new (...parameters: never[]) => RecordService) | NameOfService

export const serviceKeyOf = (kind: Kind): NameOfService => `records.${kind.name}`
