import 'reflect-metadata'

import { run } from '#runtime/run'

const APP_ROOT = new URL('../', import.meta.url)

await run(async () => {
  const { HubProcess } = await import('#runtime/hub_process')
  return HubProcess.start(APP_ROOT)
})
