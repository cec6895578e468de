import { readFileSync } from 'node:fs'

/* Preloaded by a program whose clock is set forward by so many milliseconds as stand in the file CLOCK_FILE. */
const { now } = Date
let ahead = 0

Date.now = () => now() + ahead

setInterval(() => {
  try {
    ahead = Number(readFileSync(process.env.CLOCK_FILE, 'utf8'))
  } catch {
    // Nobody has set it forward yet.
  }
}, 20).unref()
