import { main } from '#hubctl/main'

await main(process.argv.slice(2))
