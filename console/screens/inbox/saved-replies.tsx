// The saved replies to choose from, in a popover above the composer. Nothing is sent by choosing one.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { foldersOf, previewOf, savedRepliesQuery } from '../../state/saved-replies.ts'
import { useApi } from '../../state/session.tsx'
import type { Channel, SavedReply } from '../../state/types.ts'
import { filterItems, Picker } from '../../ui/picker.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'

const SavedReplies = ({
  channel,
  onPick,
  onSlash,
}: {
  channel: Channel
  onPick: (reply: SavedReply) => void
  /** A second / was typed: the person wants a slash. */
  onSlash: () => void
}) => {
  const { data } = useQuery(savedRepliesQuery(useApi()))
  const [search, setSearch] = useState('')
  const replies = useMemo(
    () =>
      (data?.savedReplies ?? [])
        .filter(({ channels }) => channels.length === 0 || channels.includes(channel))
        .map((reply) => ({
          id: reply.id,
          text: `${reply.shortcut ?? ''} ${reply.name} ${reply.folder ?? ''} ${reply.body}`.trim(),
          content: <Words reply={reply} />,
          ...(reply.shortcut && { hint: `/${reply.shortcut}` }),
          reply,
        }))
        .sort((a, b) => b.reply.useCount - a.reply.useCount),
    [data, channel],
  )
  /** By folder, and what is searched for by how well it fits. */
  const items = useMemo(
    () =>
      search.trim() !== ''
        ? filterItems(replies, search)
        : [null, ...foldersOf(replies.map(({ reply }) => reply))].flatMap((folder) =>
            replies
              .filter(({ reply }) => reply.folder === folder)
              .map((item) => (folder === null ? item : { ...item, group: folder })),
          ),
    [replies, search],
  )
  if (!data) return <Spinner />
  return (
    <div className="stack stack--tight">
      <Picker
        label={t`Saved replies`}
        placeholder={t`Search saved replies…`}
        items={items}
        isWide
        onSearch={(text) => (text === '/' ? onSlash() : setSearch(text))}
        onPick={(id) => {
          const chosen = replies.find((one) => one.id === id)
          if (chosen) onPick(chosen.reply)
        }}
        empty={replies.length === 0 ? t`No saved replies yet.` : t`No results.`}
      />
      <p className="picker__foot">
        <Link to="/settings/saved-replies">
          {replies.length === 0 ? t`Create the first one` : t`Manage saved replies`}
        </Link>
      </p>
    </div>
  )
}

export default SavedReplies

const Words = ({ reply: { name, body } }: { reply: SavedReply }) => (
  <span className="picker__two-lines">
    <bdi className="truncate">{name}</bdi>
    {body && <bdi className="truncate text-soft text-small">{previewOf(body)}</bdi>}
  </span>
)
