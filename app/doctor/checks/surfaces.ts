import { sendRequest } from '#doctor/send_request'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { reasonOf } from '#doctor/reason'
import type { Env } from '#configuration/variables'

/** The addresses of surfaces that other processes serve. */
export const surfacesElsewhere = (env: Env): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({
      core: env.CORE_URL,
      storage: env.STORAGE_URL,
      telemetry: env.TELEMETRY_URL,
      messenger: env.MESSENGER_URL,
    }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  )

/** Checks that surfaces of other processes respond. */
export const surfacesCheck: Check = {
  name: 'surfaces elsewhere',
  async run({ env }) {
    const addresses = Object.entries(surfacesElsewhere(env))
    if (addresses.length === 0) {
      return NOT_USED
    }
    const found = await Promise.all(addresses.map(([name, address]) => checkSurface(name, address)))
    return found.flat()
  },
}

async function checkSurface(name: string, address: string): Promise<Finding[]> {
  try {
    const { ok, status, body } = await sendRequest(`${address}/health/ready`)
    await body?.cancel()
    return ok
      ? []
      : [finding('SURFACE_UNREACHABLE', `${name} at ${address} responds with ${status}`)]
  } catch (error) {
    return [finding('SURFACE_UNREACHABLE', `${name} at ${address}, ${reasonOf(error)}`)]
  }
}
