import type { Kind } from './kind.js'
import type { RecordService } from './record_service.js'

/** The container binding of the service of a kind without a class of its own. */
type NameOfService = `records.${string}`

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    [service: NameOfService]: RecordService
  }
}

/** The container binding of a service: its class, or the name derived from its kind. */
export type ServiceKey = (abstract new (...parameters: never[]) => RecordService) | NameOfService

export const serviceKeyOf = (kind: Kind): NameOfService => `records.${kind.name}`
