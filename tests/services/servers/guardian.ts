import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/**
 * Waits until its input closes, which the kernel sees to even when the tests are killed. Then everything that works
 * inside the folder is asked to stop, killed where it does not within five seconds, and the folder removed.
 */
const SCRIPT = `
folder=$1 signal=$2
inhabitants() {
  find /proc/[0-9]*/cwd -maxdepth 0 '(' -lname "$folder" -o -lname "$folder/*" ')' 2>/dev/null | cut -d/ -f3
}
cat >/dev/null
pids=$(inhabitants)
[ -z "$pids" ] || { kill -s "$signal" $pids; kill -s CONT $pids; } 2>/dev/null
round=0
while [ -n "$pids" ] && [ $round -lt 400 ]; do
  sleep 0.05
  pids=$(inhabitants)
  round=$((round + 1))
  [ $round -lt 100 ] || kill -s KILL $pids 2>/dev/null
done
rm -rf "$folder"
`

/** Outlives the tests by just as long as it takes to clean up after them. */
export class Guardian {
  readonly #process: ChildProcess

  constructor(folder: string, stopSignal: NodeJS.Signals) {
    const signal = stopSignal.replace('SIG', '')
    this.#process = spawn('/bin/sh', ['-c', SCRIPT, 'guardian', folder, signal], {
      cwd: '/',
      detached: true,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#process.unref()
  }

  /** Has the processes stopped and the folder removed, now; resolves when both is done. */
  async dismiss(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) {
      return
    }
    const exited = once(this.#process, 'exit')
    this.#process.ref()
    this.#process.stdin?.end()
    await exited
  }
}
