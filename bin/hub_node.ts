import { main } from '#node/main'

await main(process.argv.slice(2))
