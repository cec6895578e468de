import { standingIsHeard } from '#identity/embedded/standing'
import type { RecordService } from '#records/record_service'

type Write = 'create' | 'update' | 'remove'

/**
 * Lets a service answer only when every process knows what its writes make of those who are signed in.
 */
export function heard<Service extends RecordService>(service: Service, writes: readonly Write[]) {
  for (const name of writes) {
    const write = service[name] as (...parameters: unknown[]) => Promise<string>
    const heardWrite = async (...parameters: unknown[]) => {
      const record = await write.apply(service, parameters)
      await standingIsHeard()
      return record
    }
    Object.assign(service, { [name]: heardWrite })
  }
  return service
}
