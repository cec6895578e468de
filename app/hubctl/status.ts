import { SURFACE_NAMES, SURFACE_PREFIXES, type SurfaceName } from '#configuration/surfaces'

const PATIENCE_MS = 5_000

interface ServiceStatus {
  name: SurfaceName
  answers: boolean
  says: string
}

/**
 * Prints one line per service; answers whether all of them answered.
 */
export async function showStatus(url: string): Promise<boolean> {
  const base = url.replace(/\/$/, '')
  const statuses = await Promise.all(SURFACE_NAMES.map((name) => statusOf(base, name)))
  for (const { name, answers, says } of statuses) {
    console.log(`${answers ? 'ok  ' : 'AWAY'}  ${name.padEnd(10)} ${says}`)
  }
  return statuses.every(({ answers }) => answers)
}

async function statusOf(base: string, name: SurfaceName): Promise<ServiceStatus> {
  const address = `${base}${SURFACE_PREFIXES[name]}/`
  const startedAt = performance.now()
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const { version } = (await response.json()) as { version?: string }
    const took = Math.round(performance.now() - startedAt)
    return version
      ? { name, answers: true, says: `version ${version}, ${took} ms` }
      : { name, answers: false, says: `${address} answered ${response.status}` }
  } catch (error) {
    return { name, answers: false, says: `${address} ${reasonOf(error as Error)}` }
  }
}

function reasonOf(error: Error): string {
  if (error.name === 'TimeoutError') {
    return `did not answer within ${PATIENCE_MS / 1000} s`
  }
  const code = (error.cause as { code?: string } | undefined)?.code
  return code === 'ECONNREFUSED'
    ? 'refuses connections: does it run?'
    : `could not be read: ${error.message}`
}
