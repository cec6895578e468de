import vine from '@vinejs/vine'

import { AmqpBus } from '#bus/amqp/amqp_bus'
import { body } from '#kernel/body'
import { SigningKey } from '#oci/signing/signing_key'
import { Attempts } from '#worker/attempts'
import { COMPONENTS } from '#worker/components'
import { imageStores } from '#worker/images/stores'
import { Signing } from '#worker/images/signing'
import { startWorker } from '#worker/worker'
import { WorkerDisk } from '#worker/worker_disk'
import { StandInPlatform } from './stand_in_platform.js'

/** A worker that crashes on one of its commands. */
const { url, folder, deadly, deaths } = JSON.parse(process.env.DEADLY!)
const silent = { info() {}, warn() {}, error() {}, debug() {} }
const platform = await StandInPlatform.start()

await startWorker(
  [
    {
      component: COMPONENTS.analysisBuilder,
      command: 'execute',
      content: body({ id: vine.string() }),
      async run({ id }: { id: string }) {
        if (id === deadly) {
          process.kill(process.pid, 'SIGKILL')
        }
        return {}
      },
    },
  ],
  {
    bus: await AmqpBus.open(url, silent),
    platform: platform.client(new AbortController().signal),
    images: imageStores({ folder, insecure: [] }),
    signing: new Signing(SigningKey.derivedFrom('a key that signs nothing here')),
    attempts: await Attempts.open(folder),
    disk: new WorkerDisk(folder),
    logger: silent,
    ship() {},
    limits: { concurrency: 2, jobMs: 60_000, graceMs: 0, maxCrashes: deaths },
  }
)
