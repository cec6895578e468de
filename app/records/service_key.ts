import type { Kind } from './kind.js'
import type { RecordService } from './record_service.js'

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
