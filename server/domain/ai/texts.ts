// What the AI agent says beside its answers, in the languages of the ready flows; English elsewhere.
import { foldText } from '../../../flow-engine/fold-text.ts'
import { baseOf } from '../../../flow-engine/language.ts'

type Texts = {
  /** Its first words. `{{name}}` and `{{workspace}}` are put in. */
  disclosure: string
  namedDisclosure: string
  greeting: string
  offer: string
  unclear: string
  /** The button that says that an answer helped; at most 20 characters, as WhatsApp's buttons. */
  helped: string
  someoneReplies: string
  closedUntil: string
  closed: string
}

const TEXTS: Record<string, Texts> = {
  en: {
    disclosure: 'I’m the automatic assistant of {{workspace}}.',
    namedDisclosure: 'I’m {{name}}, the automatic assistant of {{workspace}}.',
    greeting: 'What would you like to know?',
    offer: 'Is it one of these?',
    unclear: 'Sorry, I couldn’t find anything about that. Could you put it another way?',
    helped: 'Yes, that helped',
    someoneReplies: 'Someone from our team will reply here.',
    closedUntil:
      'We’re closed right now. Someone from our team will reply here once we’re back {{hours.opensAt|day}} at {{hours.opensAt|time}}.',
    closed: 'We’re closed right now. Someone from our team will reply here once we’re back.',
  },
  de: {
    disclosure: 'Ich bin der automatische Assistent von {{workspace}}.',
    namedDisclosure: 'Ich bin {{name}}, der automatische Assistent von {{workspace}}.',
    greeting: 'Was möchten Sie wissen?',
    offer: 'Geht es um eines davon?',
    unclear: 'Dazu habe ich leider nichts gefunden. Können Sie es anders formulieren?',
    helped: 'Ja, das hat geholfen',
    someoneReplies: 'Jemand aus unserem Team antwortet Ihnen hier.',
    closedUntil:
      'Wir haben gerade geschlossen und sind {{hours.opensAt|day}} ab {{hours.opensAt|time}} Uhr wieder da. Dann antwortet Ihnen hier jemand aus unserem Team.',
    closed:
      'Wir haben gerade geschlossen. Sobald wir wieder da sind, antwortet Ihnen hier jemand aus unserem Team.',
  },
  es: {
    disclosure: 'Soy el asistente automático de {{workspace}}.',
    namedDisclosure: 'Soy {{name}}, el asistente automático de {{workspace}}.',
    greeting: '¿Qué desea saber?',
    offer: '¿Es una de estas?',
    unclear: 'Lo siento, no he encontrado nada sobre eso. ¿Puede decirlo de otra forma?',
    helped: 'Sí, me ha ayudado',
    someoneReplies: 'Una persona de nuestro equipo le responderá aquí.',
    closedUntil:
      'Ahora estamos cerrados. Volvemos a abrir: {{hours.opensAt|day}}, {{hours.opensAt|time}}. Entonces una persona de nuestro equipo le responderá aquí.',
    closed: 'Ahora estamos cerrados. Cuando abramos, una persona de nuestro equipo le responderá aquí.',
  },
  pt: {
    disclosure: 'Sou o assistente automático de {{workspace}}.',
    namedDisclosure: 'Sou {{name}}, o assistente automático de {{workspace}}.',
    greeting: 'O que você gostaria de saber?',
    offer: 'É uma destas?',
    unclear: 'Desculpe, não encontrei nada sobre isso. Pode dizer de outra forma?',
    helped: 'Sim, isso ajudou',
    someoneReplies: 'Alguém da nossa equipe vai responder aqui.',
    closedUntil:
      'Estamos fechados agora e voltamos {{hours.opensAt|day}} às {{hours.opensAt|time}}. Alguém da nossa equipe vai responder aqui.',
    closed: 'Estamos fechados agora. Quando voltarmos, alguém da nossa equipe vai responder aqui.',
  },
  fr: {
    disclosure: 'Je suis l’assistant automatique de {{workspace}}.',
    namedDisclosure: 'Je suis {{name}}, l’assistant automatique de {{workspace}}.',
    greeting: 'Que souhaitez-vous savoir ?',
    offer: 'Est-ce l’une de ces questions ?',
    unclear: 'Désolé, je n’ai rien trouvé à ce sujet. Pouvez-vous le formuler autrement ?',
    helped: 'Oui, ça m’a aidé',
    someoneReplies: 'Une personne de notre équipe vous répondra ici.',
    closedUntil:
      'Nous sommes fermés et serons de retour {{hours.opensAt|day}} à {{hours.opensAt|time}}. Une personne de notre équipe vous répondra ici.',
    closed: 'Nous sommes fermés. À notre retour, une personne de notre équipe vous répondra ici.',
  },
}

/** The language it speaks to somebody of this language. */
export const ownLanguage = (language: string): string =>
  Object.hasOwn(TEXTS, baseOf(language)) ? language : 'en'

export const ownText = (name: Exclude<keyof Texts, 'disclosure' | 'namedDisclosure'>, language: string) =>
  TEXTS[baseOf(ownLanguage(language))]![name]

const HELPED = new Set(Object.values(TEXTS).map(({ helped }) => foldText(helped)))

/** The title of that button, typed in any of the languages. */
export const saysHelped = (text: string): boolean => HELPED.has(foldText(text))

export const disclosure = (language: string, names: { name: string | null; workspace: string }): string => {
  const { disclosure, namedDisclosure } = TEXTS[baseOf(ownLanguage(language))]!
  return (names.name === null ? disclosure : namedDisclosure).replaceAll(
    /\{\{(name|workspace)\}\}/g,
    (_, part: 'name' | 'workspace') => names[part] ?? '',
  )
}
