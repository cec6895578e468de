import { adoptionSuite } from '#tests/helpers/adopt/adoption_suite'

adoptionSuite('PostgreSQL', async () => ({ url: process.env.DATABASE_URL!, async stop() {} }))
