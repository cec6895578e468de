import { BubblewrapDriver } from '#node/containers/bubblewrap/bubblewrap_driver'
import { RuncDriver } from '#node/containers/runc/runc_driver'
import { ContainerStartFailed } from '#node/errors'
import type { Container, ContainerExit, ContainerSpec } from '#node/containers/container_driver'
import type { PlainSpec } from './running_container.js'

/** What the test sends; each request has an answer. */
export type DriverRequest = { readonly id: number } & (
  | { readonly type: 'available' }
  | { readonly type: 'recover' }
  | { readonly type: 'start'; readonly spec: PlainSpec }
  | { readonly type: 'exited'; readonly container: number }
  | { readonly type: 'stop'; readonly container: number; readonly graceMs: number }
)

export type DriverResponse =
  | { readonly id: number; readonly result?: string | ContainerExit | undefined }
  | { readonly id: number; readonly problem: string; readonly isStartFailure: boolean }
  | { readonly container: number; readonly line: string; readonly stream: 'stdout' | 'stderr' }

const [, , folder, isolation] = process.argv
const driver = isolation === 'runc' ? new RuncDriver(folder!) : new BubblewrapDriver(folder!)
const containers = new Map<number, Container>()

async function answer(request: DriverRequest): Promise<string | ContainerExit | undefined> {
  switch (request.type) {
    case 'available':
      return driver.available()
    case 'recover':
      await driver.recover()
      return undefined
    case 'start':
      containers.set(
        request.id,
        await driver.start({
          ...request.spec,
          onLine: sendLine(request.id),
          onRefusal: () => {},
        })
      )
      return undefined
    case 'exited':
      return containers.get(request.container)!.exited
    case 'stop':
      return containers.get(request.container)!.stop(request.graceMs)
  }
}

const sendLine =
  (container: number): ContainerSpec['onLine'] =>
  (line, stream) =>
    send({ container, line, stream })

const send = (response: DriverResponse): void => void process.send!(response)

process.on('message', (request: DriverRequest) => {
  answer(request)
    .then((result) => send({ id: request.id, result }))
    .catch((error: Error) =>
      send({
        id: request.id,
        problem: error.message,
        isStartFailure: error instanceof ContainerStartFailed,
      })
    )
})
process.on('disconnect', () => process.exit())
