/** Loaded in front of a program, prints each module it loads. */
import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, nextLoad) {
    console.log(`module ${url}`)
    return nextLoad(url, context)
  },
})
