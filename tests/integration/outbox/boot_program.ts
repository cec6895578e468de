/** A process that only brings its tables up to date, with the databases its environment names. */
import { boot, shutDown } from '#tests/helpers/application'

await boot()
await shutDown()
