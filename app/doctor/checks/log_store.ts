import { sendRequest } from '#doctor/send_request'
import { NOT_USED, type Check } from '#doctor/check'
import { finding, type Finding } from '#doctor/finding'
import { reasonOf } from '#doctor/reason'
import { logStoreAddresses } from '#telemetry/logs/log_store_addresses'

/** Checks that the log store responds at its write and query addresses. */
export const logStoreCheck: Check = {
  name: 'log store',
  async run({ env }) {
    const addresses = logStoreAddresses(env)
    if (addresses.length === 0) {
      return NOT_USED
    }
    const found = await Promise.all(addresses.map((address) => checkAddress(address)))
    return found.flat()
  },
}

async function checkAddress(address: string): Promise<Finding[]> {
  try {
    const { ok, status, body } = await sendRequest(`${address}/health`)
    await body?.cancel()
    return ok ? [] : [finding('LOGSTORE_UNREACHABLE', `${address}/health responds with ${status}`)]
  } catch (error) {
    return [finding('LOGSTORE_UNREACHABLE', `${address}, ${reasonOf(error)}`)]
  }
}
