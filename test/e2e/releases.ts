// Two releases on one machine. The next one is this tree with migrations of every kind that CONTRIBUTING.md allows; the
// former one is the tree before the latest migrations, from the clone's history.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ROOT, temporaryDirectory } from './foyer.ts'

/** A migration as releases bring them; each kind locks something else, and the index is built outside of a transaction. */
export const NEXT_MIGRATIONS = {
  '9001_next_columns.sql': `
alter table contacts add column next_release boolean not null default false;
alter table conversations add column next_release text;
alter table messages add column next_release integer not null default 7;
alter table deliveries add column next_release integer not null default 7;`,
  '9002_next_table.sql': `
create table next_releases (workspace_id text not null references workspaces (id) on delete cascade, id text not null, primary key (workspace_id, id));`,
  '9003_next_check.sql': `
alter table messages add constraint messages_next_release check (next_release < 100) not valid;`,
  '9004_next_check_holds.sql': `
alter table messages validate constraint messages_next_release;`,
  '9005_next_index.sql': `-- Outside of a transaction.
create index concurrently if not exists messages_by_next_release on messages (workspace_id, next_release);`,
  '9006_next_end.sql': `
alter table contacts alter column next_release set default true;`,
}

/** How many migrations the former release lacks. */
const MIGRATIONS_BACK = 3

const NOT_COPIED = new Set(['.git', '.env', 'data', 'dist', 'node_modules', 'bench', 'test'])

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** The commit before the latest migrations; undefined without a history that goes back so far. */
const findFormerCommit = (): string | undefined => {
  try {
    const added = git(
      'log',
      '--diff-filter=A',
      '--format=%H',
      '-n',
      String(MIGRATIONS_BACK),
      '--',
      'migrations/',
    )
    const last = added.split('\n')[MIGRATIONS_BACK - 1]
    return last && git('rev-parse', '--verify', `${last}^`)
  } catch {
    return undefined
  }
}

/** Where the former release is. It shares this one's packages. Without a history it is this one. */
export const makeFormerRelease = (): { folder: string; isFormer: boolean } => {
  const commit = findFormerCommit()
  if (!commit) return { folder: ROOT, isFormer: false }
  const folder = join(temporaryDirectory(), 'former')
  mkdirSync(folder)
  const archive = execFileSync('git', ['-C', ROOT, 'archive', commit], { maxBuffer: 256 * 1024 * 1024 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return { folder, isFormer: true }
}

export const makeNextRelease = (): string => {
  const folder = join(temporaryDirectory(), 'next')
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (path) =>
      !relative(ROOT, path)
        .split('/')
        .some((part) => NOT_COPIED.has(part)),
  })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const [name, text] of Object.entries(NEXT_MIGRATIONS))
    writeFileSync(join(folder, 'migrations', name), `${text.trimStart()}\n`)
  return folder
}
