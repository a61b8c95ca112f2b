// What narrows the list: loaded when the menu is opened, or when the list is narrowed.

import { useQuery } from '@tanstack/react-query'
import { CircleAlert, Languages, Mail, Tag as TagIcon, Timer, UserRound, Users, X } from 'lucide-react'
import { CHANNELS } from '../../../channels/names.ts'
import type { ListFilter, ListSearch } from '../../state/conversations.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import { OWN_TEAMS, teamsQuery } from '../../state/teams.ts'
import type { Agent, FilterChoices } from '../../state/types.ts'
import { channelIcon } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { MenuChoice, MenuGroup, MenuLine } from '../../ui/menu.tsx'
import { LOCALE } from '../../words/locale.ts'
import { t } from '../../words/t.ts'

type Props = { filter: ListFilter; onChange: (change: ListSearch) => void }

const useNames = () => {
  const api = useApi()
  const { data: tags } = useQuery(tagsQuery(api))
  const { data: agents } = useQuery({
    queryKey: keys.agents(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ agents: Agent[] }>('/agents', {}, signal),
  })
  const { data: teams = [] } = useQuery(teamsQuery(api))
  const { data: choices } = useQuery({
    queryKey: keys.setting(api.workspaceId, 'filter-choices'),
    queryFn: ({ signal }) => api.get<FilterChoices>('/filter-choices', {}, signal),
  })
  return {
    tags: tags?.tags ?? [],
    agents: agents?.agents ?? [],
    teams,
    accounts: choices?.channelAccounts ?? [],
    languages: choices?.languages ?? [],
  }
}

const languageNames = new Intl.DisplayNames(LOCALE, { type: 'language' })
/** The address may have anything. */
const languageName = (language: string): string => {
  try {
    return languageNames.of(language) ?? language
  } catch {
    return language
  }
}

export const FilterMenu = ({ filter, onChange }: Props) => {
  const { view, channel, unread, failed, overdue, tag, agent, team, account, language } = filter
  const { tags, agents, teams, accounts, languages } = useNames()
  // In the others, the view says whose they are.
  const isByAgent = view !== 'mine' && view !== 'unassigned'
  return (
    <>
      <MenuChoice
        icon={Mail}
        isChosen={unread === true}
        onSelect={() => onChange({ unread: unread ? undefined : true })}
      >
        {t`Unread only`}
      </MenuChoice>
      <MenuChoice
        icon={CircleAlert}
        isChosen={failed === true}
        onSelect={() => onChange({ failed: failed ? undefined : true })}
      >
        {t`With a failed message`}
      </MenuChoice>
      <MenuChoice
        icon={Timer}
        isChosen={overdue === true}
        onSelect={() => onChange({ overdue: overdue ? undefined : true })}
      >
        {t`Overdue only`}
      </MenuChoice>
      <MenuLine />
      <MenuGroup label={t`Channel`}>
        <MenuChoice isChosen={!channel} onSelect={() => onChange({ channel: undefined })}>
          {t`All channels`}
        </MenuChoice>
        {CHANNELS.map((id) => (
          <MenuChoice
            key={id}
            icon={channelIcon(id)}
            isChosen={channel === id}
            onSelect={() => onChange({ channel: id })}
          >
            {channelName(id)}
          </MenuChoice>
        ))}
      </MenuGroup>
      {accounts.length > 1 && (
        <MenuGroup label={t`Channel account`}>
          {accounts.map(({ id, channel, name }) => (
            <MenuChoice
              key={id}
              icon={channelIcon(channel)}
              isChosen={account === id}
              onSelect={() => onChange({ account: account === id ? undefined : id })}
            >
              {name}
            </MenuChoice>
          ))}
        </MenuGroup>
      )}
      {languages.length > 0 && (
        <MenuGroup label={t`Language`}>
          {languages.map((one) => (
            <MenuChoice
              key={one}
              icon={Languages}
              isChosen={language === one}
              onSelect={() => onChange({ language: language === one ? undefined : one })}
            >
              {languageName(one)}
            </MenuChoice>
          ))}
        </MenuGroup>
      )}
      {isByAgent && (
        <MenuGroup label={t`Assigned to`}>
          {agents.map(({ id, nickname }) => (
            <MenuChoice
              key={id}
              icon={UserRound}
              isChosen={agent === id}
              onSelect={() => onChange({ agent: agent === id ? undefined : id })}
            >
              {nickname}
            </MenuChoice>
          ))}
        </MenuGroup>
      )}
      {teams.length > 0 && (
        <MenuGroup label={t`Team`}>
          {teams.map(({ id, name }) => (
            <MenuChoice
              key={id}
              icon={Users}
              isChosen={team === id}
              onSelect={() => onChange({ team: team === id ? undefined : id })}
            >
              {name}
            </MenuChoice>
          ))}
        </MenuGroup>
      )}
      {tags.length > 0 && (
        <MenuGroup label={t`Tag`}>
          {tags.map(({ id, name }) => (
            <MenuChoice
              key={id}
              icon={TagIcon}
              isChosen={tag === id}
              onSelect={() => onChange({ tag: tag === id ? undefined : id })}
            >
              {name}
            </MenuChoice>
          ))}
        </MenuGroup>
      )}
    </>
  )
}

export const ChosenFilters = ({ filter, onChange }: Props) => {
  const { channel, unread, failed, overdue, tag, agent, team, account, language } = filter
  const { tags, agents, teams, accounts } = useNames()
  const teamName = (id: string): string =>
    id === OWN_TEAMS ? t`My teams` : (teams.find((one) => one.id === id)?.name ?? t`Team`)
  const chosen = [
    unread && { key: 'unread', text: t`Unread` },
    failed && { key: 'failed', text: t`Failed` },
    overdue && { key: 'overdue', text: t`Overdue` },
    channel && { key: 'channel', text: channelName(channel) },
    account && {
      key: 'account',
      text: accounts.find(({ id }) => id === account)?.name ?? t`Channel account`,
    },
    language && { key: 'language', text: languageName(language) },
    agent && { key: 'agent', text: agents.find(({ id }) => id === agent)?.nickname ?? t`Assignee` },
    team && { key: 'team', text: teamName(team) },
    tag && { key: 'tag', text: tags.find(({ id }) => id === tag)?.name ?? t`Tag` },
  ].filter((one) => typeof one === 'object')
  return (
    <div className="row row--wrap list__filters">
      {chosen.map(({ key, text }) => (
        <Button key={key} size="small" icon={X} onClick={() => onChange({ [key]: undefined })}>
          <bdi className="truncate">{text}</bdi>
        </Button>
      ))}
    </div>
  )
}
