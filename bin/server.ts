import 'reflect-metadata'

import { run } from '#runtime/run'

await run(async () => {
  const { HubProcess } = await import('#runtime/hub_process')
  return HubProcess.start(await import('#start/env'))
})
