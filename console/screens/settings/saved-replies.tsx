// Saved replies: the team's, which not everybody may change, and one's own.

import { useQuery } from '@tanstack/react-query'
import { Folder, MessageSquareText, Pencil, Plus, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import { foldersOf, previewOf, savedRepliesQuery } from '../../state/saved-replies.ts'
import { useApi, useSession } from '../../state/session.tsx'
import type { SavedReply } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { DeleteDialog } from '../../ui/lazy-dialogs.ts'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { useSettingsChanged } from './use-setting.ts'

const EditSavedReply = lazy(() => import('./edit-saved-reply.tsx'))

const EditFolder = lazy(() => import('./edit-folder.tsx'))

type Open =
  | { what: 'edit'; reply: SavedReply | null }
  | { what: 'delete'; reply: SavedReply }
  | { what: 'folder'; folder: string; isShared: boolean }

export const SavedRepliesSettings = () => {
  const api = useApi()
  const { can } = useSession()
  const { data, error, refetch } = useQuery(savedRepliesQuery(api))
  const changed = useSettingsChanged()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const mayShare = can('manage_knowledge')
  const replies = data?.savedReplies ?? []
  const list = (label: string, shown: SavedReply[], mayChange: boolean) =>
    shown.length > 0 && (
      <Section title={label}>
        <Replies label={label} replies={shown} mayChange={mayChange} onOpen={setOpen} />
      </Section>
    )
  return (
    <SidePage
      title={t`Saved replies`}
      about={t`Type / in an empty line of a reply to insert one. Those of the team are for everybody; your own only for you.`}
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setOpen({ what: 'edit', reply: null })}>
          {t`New saved reply`}
        </Button>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : replies.length === 0 ? (
        <EmptyState icon={MessageSquareText} title={t`No saved replies yet`}>
          {t`Save what you write often, and insert it with two keys.`}
        </EmptyState>
      ) : (
        <>
          {list(
            t`The team’s`,
            replies.filter(({ isShared }) => isShared),
            mayShare,
          )}
          {list(
            t`Only yours`,
            replies.filter(({ isShared }) => !isShared),
            true,
          )}
        </>
      )}
      <Suspense>
        {open?.what === 'edit' && (
          <EditSavedReply
            reply={open.reply}
            folders={foldersOf(replies)}
            mayShare={mayShare}
            onChanged={changed}
            onClose={close}
          />
        )}
        {open?.what === 'folder' && <EditFolder {...open} onChanged={changed} onClose={close} />}
        {open?.what === 'delete' && (
          <DeleteDialog
            what={t`saved reply`}
            name={open.reply.name}
            about={open.reply.isShared ? t`Nobody in the team can use it any more.` : undefined}
            onClose={close}
            onDelete={async () => {
              await api.delete(`/saved-replies/${open.reply.isShared ? 'shared' : 'own'}/${open.reply.id}`)
              await changed()
            }}
          />
        )}
      </Suspense>
    </SidePage>
  )
}

const Replies = ({
  label,
  replies,
  mayChange,
  onOpen,
}: {
  label: string
  replies: SavedReply[]
  mayChange: boolean
  onOpen: (open: Open) => void
}) => {
  const inFolder = (folder: string | null) => replies.filter((reply) => reply.folder === folder)
  const items = (shown: SavedReply[]) =>
    shown.map((reply) => <ReplyItem key={reply.id} reply={reply} mayChange={mayChange} onOpen={onOpen} />)
  const loose = inFolder(null)
  return (
    <>
      {loose.length > 0 && <ItemList label={label}>{items(loose)}</ItemList>}
      {foldersOf(replies).map((folder) => (
        <section key={folder} className="stack stack--tight" aria-label={folder}>
          <div className="row">
            <Folder size={16} aria-hidden />
            <h3 className="text-strong truncate">
              <bdi>{folder}</bdi>
            </h3>
            <span className="text-soft numeric">{inFolder(folder).length}</span>
            {mayChange && (
              <IconButton
                icon={Pencil}
                size="small"
                label={t`Rename folder ${folder}`}
                onClick={() => onOpen({ what: 'folder', folder, isShared: replies[0]!.isShared })}
              />
            )}
          </div>
          <ItemList label={`${label}: ${folder}`}>{items(inFolder(folder))}</ItemList>
        </section>
      ))}
    </>
  )
}

const ReplyItem = ({
  reply,
  mayChange,
  onOpen,
}: {
  reply: SavedReply
  mayChange: boolean
  onOpen: (open: Open) => void
}) => (
  <Item
    title={<bdi>{reply.name}</bdi>}
    about={<bdi className="truncate">{previewOf(reply.body) || t`No text: only does something`}</bdi>}
    meta={
      <>
        {reply.shortcut && <code className="text-mono">/{reply.shortcut}</code>}
        {reply.channels.map((channel) => (
          <Badge key={channel}>{channelName(channel)}</Badge>
        ))}
        <span className="text-soft text-small">{usesOf(reply.useCount)}</span>
      </>
    }
    actions={
      mayChange && (
        <>
          <IconButton
            icon={Pencil}
            label={t`Edit ${reply.name}`}
            onClick={() => onOpen({ what: 'edit', reply })}
          />
          <IconButton
            icon={Trash2}
            label={t`Delete ${reply.name}`}
            onClick={() => onOpen({ what: 'delete', reply })}
          />
        </>
      )
    }
  />
)

const usesOf = (count: number): string =>
  count === 0 ? t`Never used` : count === 1 ? t`Used once` : t`Used ${countOf(count)} times`
