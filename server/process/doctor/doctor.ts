// Looks at everything that Foyer needs, without changing anything.
import { VERSION } from '../../platform/version.ts'
import { type Config, ConfigError } from '../config.ts'
import { checkDatabase } from './check-database.ts'
import { checkCertificate, checkDataDir, checkDisk, checkPort } from './check-machine.ts'
import { checkReplica } from './check-replica.ts'
import { checkFiles, checkMail, checkPublicUrl, checkRedis } from './check-services.ts'
import { type Finding, fail, ok, reasonOf } from './finding.ts'

/** In a fixed order. A setting that can't be read ends it, because the rest depends on them. */
export const runDoctor = async (settings: () => Config): Promise<Finding[]> => {
  const begin = ok('version', `Foyer ${VERSION} on Node ${process.versions.node}`)
  let config: Config
  try {
    config = settings()
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [reasonOf(error)]
    return [
      begin,
      ...problems.map((text) => fail('settings', `${text}.`, '.env.example explains each setting.')),
    ]
  }
  const checks: [name: string, check: () => Promise<Finding[]> | Finding[]][] = [
    ['data directory', () => [checkDataDir(config)]],
    ['disk', () => [checkDisk(config)]],
    ['database', () => checkDatabase(config)],
    ['replica', () => checkReplica(config)],
    ['files', async () => [await checkFiles(config)]],
    ['port', async () => [await checkPort(config)]],
    ['certificate', () => checkCertificate(config)],
    ['public URL', () => checkPublicUrl(config)],
    ['mail', async () => [await checkMail(config)]],
    ['Redis', () => checkRedis(config)],
  ]
  const found = await Promise.all(
    checks.map(async ([name, check]) => {
      try {
        return await check()
      } catch (error) {
        return [fail(name, reasonOf(error), 'This check itself failed.')]
      }
    }),
  )
  return [begin, ok('settings', 'All are valid.'), ...found.flat()]
}
