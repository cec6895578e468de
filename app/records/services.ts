import { databaseUrl } from '#database/addresses'
import { pools } from '#database/pools'
import { eventSink } from '#records/event_sink'
import type { Kind } from '#records/kind'
import { RecordService, type RecordServiceOptions } from '#records/record_service'
import type { SurfaceName } from '#configuration/surfaces'

type ServiceClass<Service extends RecordService> = new (
  kind: Kind,
  options: RecordServiceOptions
) => Service

/**
 * The service of a kind on the database of its surface, made when it is first needed: routes are declared before any
 * connection is.
 */
export function lazyService<Service extends RecordService = RecordService>(
  surface: SurfaceName,
  kind: Kind,
  Class: ServiceClass<Service> = RecordService as ServiceClass<Service>
): () => Service {
  let service: Service | undefined
  return () => {
    service ??= new Class(kind, { pool: pools.for(databaseUrl(surface)), sink: eventSink })
    return service
  }
}
