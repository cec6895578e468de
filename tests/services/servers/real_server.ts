import { Home, type HomeOptions } from './home.js'
import { ensurePackages } from './packages.js'

/** How one kind of server is set up. A new kind is one file with a recipe and a `start…` function. */
export interface Recipe {
  readonly name: string
  /** Debian packages it comes from. */
  readonly packages: string[]
  /** Account of the package, under which it runs when the tests run as root. */
  readonly account: string
  /** Signal that ends it in good order without waiting for its clients. */
  readonly stopSignal: NodeJS.Signals
  /** Chooses ports and passwords and lays down the data; done once, before the first start. */
  prepare(home: Home): Promise<Plan>
}

export interface Plan {
  readonly url: string
  /** Starts the processes on the prepared data and resolves when the server answers; done at every start. */
  boot(): Promise<void>
}

/** A real server of a test's own, on loopback; it is gone with its data after `stop`, or when the tests end or die. */
export class RealServer {
  readonly url: string
  readonly #home: Home
  readonly #plan: Plan
  #readyInMs = 0

  private constructor(home: Home, plan: Plan) {
    this.url = plan.url
    this.#home = home
    this.#plan = plan
  }

  static async start(
    recipe: Recipe,
    place: Pick<HomeOptions, 'commandPrefix' | 'parent'> = {}
  ): Promise<RealServer> {
    await ensurePackages(recipe.packages)
    const { name, account, stopSignal } = recipe
    const home = await Home.create({ name, account, stopSignal, ...place })
    try {
      const server = new RealServer(home, await recipe.prepare(home))
      await server.#boot()
      return server
    } catch (error) {
      await home.demolish()
      throw error
    }
  }

  /** The process a fault test may want to look at or signal; another one after each restart. */
  get pid(): number {
    return this.#home.pid
  }

  /** Whether every process that was started last still runs. */
  get isRunning(): boolean {
    return this.#home.isRunning
  }

  /** Where the data and the log are, for as long as the server was not stopped. */
  get folder(): string {
    return this.#home.path
  }

  /** How long the latest start took until the server answered a client. */
  get readyInMs(): number {
    return this.#readyInMs
  }

  /** Runs a program of its package beside it, as its account, and tells what that prints. */
  run(command: string, args: string[]): Promise<string> {
    return this.#home.run(command, args)
  }

  /** Ends the server for good and removes its data. */
  async stop(): Promise<void> {
    await this.#home.demolish()
  }

  /** SIGKILL to all of its processes; resolves when they are gone. The data stays for `restart`. */
  async kill(): Promise<void> {
    await this.#home.kill()
  }

  /** Freezes it: connections are still accepted by the kernel, and nothing answers until `resume`. */
  pause(): Promise<void> {
    return this.#home.pause()
  }

  resume(): void {
    this.signal('SIGCONT')
  }

  /** As an administrator stops it; does not wait. */
  askToEnd(): void {
    this.#home.askToEnd()
  }

  /** Sends a signal to every process of the server and tells how many there were. */
  signal(name: NodeJS.Signals): number {
    return this.#home.signal(name)
  }

  /** Starts it again on the same port and data, in good order where it still runs. */
  async restart(): Promise<void> {
    await this.#home.shutDown()
    await this.#boot()
  }

  async #boot(): Promise<void> {
    const startedAt = performance.now()
    await this.#plan.boot()
    this.#readyInMs = Math.round(performance.now() - startedAt)
  }
}
