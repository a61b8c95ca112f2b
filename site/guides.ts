// The guides: files of docs/guide, in this order. The first heading is the title, the first paragraph the summary.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from './page.ts'

const FOLDER = join(import.meta.dirname, '../docs/guide')

const GUIDES: { file: string; path: string; group: Page['group'] }[] = [
  { file: 'start', path: '', group: 'Guides' },
  { file: 'sdk', path: 'guides/sdk', group: 'Guides' },
  { file: 'sending-messages', path: 'guides/sending-messages', group: 'Guides' },
  { file: 'chat-box', path: 'guides/chat-box', group: 'Guides' },
  { file: 'whatsapp-reply-window', path: 'guides/whatsapp-reply-window', group: 'Guides' },
  { file: 'broadcasts', path: 'guides/broadcasts', group: 'Guides' },
  { file: 'contacts', path: 'guides/contacts', group: 'Guides' },
  { file: 'ai-agent', path: 'guides/ai-agent', group: 'Guides' },
  { file: 'tokens', path: 'guides/tokens', group: 'Guides' },
  { file: 'events', path: 'guides/events', group: 'Guides' },
  { file: 'polling', path: 'guides/polling', group: 'Guides' },
  { file: 'mcp', path: 'guides/mcp', group: 'Guides' },
  { file: 'webhooks', path: 'guides/webhooks', group: 'Guides' },
  { file: 'reports', path: 'guides/reports', group: 'Guides' },
  { file: 'privacy', path: 'guides/privacy', group: 'Guides' },
  { file: 'export-and-import', path: 'guides/export-and-import', group: 'Guides' },
  { file: 'retries', path: 'guides/retries', group: 'Guides' },
  { file: 'going-live', path: 'guides/going-live', group: 'Guides' },
  { file: 'versioning', path: 'versioning', group: 'More' },
  { file: 'changelog', path: 'changelog', group: 'More' },
]

export const guidePages = (): Page[] =>
  GUIDES.map(({ file, path, group }) => {
    const markdown = readFileSync(join(FOLDER, `${file}.md`), 'utf8').trim()
    const [heading = '', , paragraph = ''] = markdown
      .split('\n\n')
      .flatMap((part, index) => (index === 0 ? [part, ''] : [part]))
    return {
      path,
      title: heading.replace(/^# /, ''),
      summary: paragraph.replaceAll('\n', ' '),
      group,
      markdown,
    }
  })
