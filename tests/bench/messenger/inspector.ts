import { once } from 'node:events'

/** Asks a process that was started with `--inspect` for what it keeps. */
export class Inspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: any) => void>()
  #count = 0

  static async open(port: number): Promise<Inspector> {
    const targets = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()
    const [{ webSocketDebuggerUrl }] = targets as [{ webSocketDebuggerUrl: string }]
    const socket = new WebSocket(webSocketDebuggerUrl)
    await once(socket, 'open')
    return new Inspector(socket)
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data))
      this.#waiting.get(id)?.(result)
    })
  }

  /** What is in use, in the heap and beside it, when all that is not was removed. */
  async liveBytes(): Promise<number> {
    for (let turn = 0; turn < 3; turn++) {
      await this.send('HeapProfiler.collectGarbage')
    }
    const expression = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())'
    const { result } = await this.send('Runtime.evaluate', { expression })
    return result.value
  }

  send(method: string, params: object = {}): Promise<any> {
    const id = ++this.#count
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }

  close(): void {
    this.#socket.close()
  }
}
