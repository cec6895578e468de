import { hubctl } from '#hubctl/program'

await hubctl().parseAsync()
