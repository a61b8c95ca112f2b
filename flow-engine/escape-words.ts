// How customers ask for a person, in 20 languages. Written as they are typed; wants-person.ts folds them.

export type EscapeWords = {
  /** Alone, or with nothing but `around` beside it, it is a wish for a person. */
  people: string
  around: string
  /** A wish wherever they stand in a message, separated by |. */
  phrases: string
}

export const ESCAPE_WORDS: Record<string, EscapeWords> = {
  en: {
    people:
      'human humans person people anyone anybody manager supervisor agent agents operator representative rep somebody someone advisor adviser staff employee',
    around:
      'a an the real live actual please pls plz i id im want wanna need would like to talk speak chat with connect transfer get me give can could you let us your some any service customer support now just another from team hi hello hey right is there be put through',
    phrases:
      'dont want to talk to a bot|dont want to talk to a robot|dont want to talk to a machine|dont want to talk to an ai|dont want to speak to a bot|dont want to speak to a robot|dont want to speak to a machine|dont want to chat with a bot|dont want a bot|not with a bot|not a bot please|no more bots|stop the bot|human help|human support|human assistance|need a human|want a human|need a person|want a person|actual human|actual person|put me through to|transfer me to a|escalate this to a|speak to a manager|speak with a manager|talk to a manager|talk to the manager|speak to the manager|speak to your manager|talk to your manager|speak to a supervisor|speak to your supervisor|talk to a supervisor|talk to your supervisor|someone call me|somebody call me|someone from your team call me|someone phone me|someone ring me|someone give me a call|give me a call|call me back|customer service agent|talk to anyone|speak to anyone|talk to a colleague|speak to a colleague|talk to a member of staff|speak to a member of staff|talk to the support team|speak to the support team|talk to customer service|speak to customer service|talk to support|speak to support|talk to a human|talk to a person|talk to a real|talk to an agent|talk to someone|talk to somebody|speak to a human|speak to a person|speak to a real|speak to an agent|speak to someone|speak to somebody|speak with a human|speak with a person|speak with an agent|speak with someone|chat with a human|chat with an agent|real human|real person|live agent|human agent|human being please|customer service representative|transfer me to|connect me to an agent|connect me with',
  },
  de: {
    people:
      'mensch menschen person mitarbeiter mitarbeiterin mitarbeitern berater beraterin kundenberater ansprechpartner kundenservice kundendienst jemand jemanden jemandem agent',
    around:
      'ein eine einen einem einer der die den dem echt echte echten echter echtem richtige richtigen richtigem bitte ich möchte will würde gern gerne mit sprechen reden chatten schreiben verbinden sie mich zu zum vom an kann können brauche benötige jetzt mal lieber hallo vom',
    phrases:
      'nicht mit einem bot|nicht mit einem roboter|nicht mit einer maschine|nicht mit einer ki|keinen bot|keinen chatbot|menschliche hilfe|menschlichen support|jemandem telefonieren|jemand telefonieren|jemandem schreiben|mit jemand sprechen|mit jemand reden|jemandem aus ihrem team|mit ihrem chef|mit dem chef sprechen|mit dem vorgesetzten|mit einem vorgesetzten|mit ihrem vorgesetzten|mit der geschäftsleitung|verbinden sie mich|verbinde mich mit|stellen sie mich durch|mich durchstellen|rufen sie mich an|rufen sie mich bitte|rufen sie mich zurück|ruf mich bitte an|ruft mich bitte an|jemand anrufen|jemanden sprechen|jemanden ans telefon|jemanden am telefon|jemanden erreichen|einen ansprechpartner|mit dem kundenservice|mit dem kundendienst|mit dem support sprechen|mit einem berater|mit einer beraterin|mit einem kundenberater|an einen menschen|einen echten mitarbeiter|mit einem menschen|mit einer person sprechen|mit einem mitarbeiter|mit einer mitarbeiterin|mit jemandem sprechen|mit jemandem reden|mit wem sprechen|echten menschen|echter mensch|echte person|richtigen menschen|an einen mitarbeiter|menschlichen mitarbeiter|persönlich sprechen',
  },
  es: {
    people:
      'humano humana persona agente operador operadora asesor asesora representante ejecutivo ejecutiva alguien',
    around:
      'un una el la con real de verdad por favor quiero quisiera necesito me gustaría puedo hablar chatear comunicarme comunícame pásame pasame a al contactar ahora hola atención cliente',
    phrases:
      'no quiero hablar con un bot|no quiero hablar con un robot|no quiero hablar con una máquina|no quiero un bot|no quiero un robot|con un robot no|ayuda humana|ayuda de una persona|ser humano por favor|hablar con un ser humano|hablar con un supervisor|hablar con el supervisor|hablar con un encargado|hablar con el encargado|hablar con un gerente|hablar con el gerente|hablar con su jefe|hablar con su supervisor|hablar con un responsable|páseme con|pásenme con|comuníqueme con|comuníquenme con|me pueden llamar|me puede llamar|me podéis llamar|puede llamarme|pueden llamarme|alguien que me llame|que me llame alguien|hablar por teléfono con|atención al cliente por favor|hablar con atención al cliente|persona de verdad|hablar con una persona|hablar con un humano|hablar con un agente|hablar con un asesor|hablar con alguien|hablar con un representante|hablar con un operador|persona real|agente humano|atención humana|pásame con|comunícame con',
  },
  fr: {
    people: 'humain humaine personne conseiller conseillère agent opérateur opératrice quelquun représentant',
    around:
      'un une le la à avec vrai vraie réel réelle svp sil vous plaît plait je veux voudrais souhaite besoin de dun dune parler discuter moi me passer mettre en relation maintenant bonjour client service peux puis',
    phrases:
      'pas parler à un robot|pas parler à un bot|pas parler avec un robot|pas parler avec un bot|pas à un robot|aide humaine|aide d’un humain|parler à un responsable|parler à votre responsable|parler au responsable|parler avec un responsable|parler à un manager|parler à un superviseur|passez moi un|passez moi quelqu’un|passez moi le responsable|mettez moi en relation|me mettre en relation|peut m’appeler|peut il m’appeler|pouvez vous m’appeler|pouvez vous me rappeler|pourriez vous me rappeler|rappelez moi|appelez moi|être rappelé|être rappelée|un être humain|conseiller humain|parler au service client|quelqu’un au téléphone|avoir quelqu’un au|personne réelle|parler à un humain|parler à une personne|parler à un conseiller|parler à un agent|parler à quelquun|parler avec un humain|parler avec un conseiller|parler avec quelquun|un vrai humain|une vraie personne|vrai conseiller|en relation avec un conseiller',
  },
  it: {
    people: 'umano umana persona operatore operatrice agente qualcuno consulente addetto',
    around:
      'un una uno il la con vero vera reale per favore voglio vorrei posso ho bisogno di parlare chattare passami mi passi a al adesso ora ciao servizio clienti',
    phrases:
      'non voglio parlare con un bot|non voglio parlare con un robot|non voglio un bot|non con un bot|aiuto umano|assistenza umana|parlare con un responsabile|parlare con il responsabile|parlare con il vostro responsabile|parlare con un supervisore|parlare con un consulente|parlare con un addetto|parlare con una persona|mi passi un|mi passi il responsabile|passatemi un|passatemi qualcuno|mettetemi in contatto|mi metta in contatto|può chiamarmi|potete chiamarmi|mi può chiamare|mi potete chiamare|richiamatemi|chiamatemi per favore|un essere umano|in carne e ossa|qualcuno al telefono|parlare al telefono con|parlare con il servizio clienti|parlare con l’assistenza|parlare con un operatore|parlare con una persona|parlare con un umano|parlare con qualcuno|parlare con un agente|operatore umano|persona reale|persona vera',
  },
  pt: {
    people: 'humano humana pessoa atendente operador operadora agente alguém alguem representante assistente',
    around:
      'um uma o a com real de verdade por favor quero queria gostaria preciso posso falar conversar me passa passe transferir para agora oi olá ola do da',
    phrases:
      'não quero falar com um robô|não quero falar com robô|não quero falar com um bot|não quero falar com uma máquina|não quero um robô|falar com o gerente|falar com um gerente|falar com o supervisor|falar com um supervisor|falar com um responsável|falar com o responsável|podem me ligar|pode me ligar|alguém me ligue|alguém me liga|me liguem|ajuda humana|ajuda de uma pessoa|falar com uma atendente|falar com a atendente|falar com o atendente|falar com um ser humano|ser humano por favor|pessoa de verdade|falar por telefone com|falar com o suporte|me transfere para um|me transfira para|me passa para um|me passe para|falar com um atendente|falar com uma pessoa|falar com um humano|falar com alguém|falar com um agente|falar com atendente|pessoa real|atendimento humano|atendente humano',
  },
  nl: {
    people: 'mens mensen persoon medewerker medewerkster iemand agent klantenservice',
    around:
      'een de het echte echt met aub alsjeblieft alstublieft graag ik wil zou willen kan mag spreken praten chatten doorverbinden naar van nu hallo',
    phrases:
      'niet met een bot|niet met een robot|niet met een computer|geen bot|menselijke hulp|hulp van een mens|met een manager|met de manager|met een leidinggevende|met uw leidinggevende|met je leidinggevende|met iemand bellen|met iemand telefoneren|iemand mij bellen|iemand me bellen|iemand mij terugbellen|bel me terug|bel mij terug|kunt u mij bellen|kun je me bellen|kunnen jullie mij bellen|verbind me door|verbind mij door|doorverbinden met|iemand aan de lijn|iemand aan de telefoon|met de klantenservice|een mens spreken|een medewerker spreken|iemand spreken|met een mens|met een medewerker|met een persoon|met iemand spreken|met iemand praten|echt persoon|echte persoon|echt mens|echte medewerker',
  },
  pl: {
    people:
      'człowiek człowiekiem człowieka konsultant konsultantem konsultanta osoba osobą osobę pracownik pracownikiem doradca doradcą agent agentem ktoś kimś',
    around:
      'z ze do proszę prosze chcę chce chciałbym chciałabym mogę rozmawiać porozmawiać połącz połączyć mnie żywym żywą prawdziwym prawdziwą teraz dzień dobry',
    phrases:
      'nie chcę rozmawiać z botem|nie chcę rozmawiać z robotem|nie z botem|nie chcę bota|pomoc człowieka|pomocy człowieka|rozmawiać z kierownikiem|rozmawiać z przełożonym|rozmawiać z menedżerem|połączyć z człowiekiem|połącz mnie z|proszę mnie połączyć|ktoś do mnie zadzwonić|zadzwońcie do mnie|proszę do mnie zadzwonić|proszę o telefon od|porozmawiać przez telefon|z żywą osobą|z prawdziwym człowiekiem|z prawdziwą osobą|rozmawiać z obsługą|rozmawiać z pracownikiem|rozmawiać z człowiekiem|porozmawiać z człowiekiem|rozmawiać z konsultantem|porozmawiać z konsultantem|rozmowa z konsultantem|z żywym człowiekiem|połącz z konsultantem|rozmawiać z kimś|porozmawiać z kimś',
  },
  tr: {
    people:
      'insan insanla temsilci temsilciye temsilciyle temsilcisi temsilcisine temsilcisiyle yetkili yetkiliyle yetkiliye kişi kişiyle operatör operatöre operatörle',
    around:
      'bir gerçek canlı müşteri ile lütfen istiyorum konuşmak görüşmek bağla bağlan bağlanmak beni bana merhaba hizmetleri destek şimdi',
    phrases:
      'botla konuşmak istemiyorum|robotla konuşmak istemiyorum|bir botla konuşmak istemiyorum|bot istemiyorum|yöneticiyle|müdürle görüşmek|yetkili biriyle|biriyle görüşmek|biriyle konuşmak|birisiyle görüşmek|birisiyle konuşmak|biri beni arayabilir|birisi beni arayabilir|beni arar mısınız|beni arayın|beni arayabilir|insan desteği|bir insandan yardım|telefonda görüşmek|temsilciyle görüşmek|temsilciyle konuşmak|gerçek kişi|müşteri hizmetlerine bağlanmak|bir insanla|gerçek bir insan|gerçek bir kişi|müşteri temsilcisi|temsilciye bağla|yetkiliyle görüşmek|canlı destek',
  },
  ru: {
    people:
      'человек человека человеком оператор оператора оператору оператором менеджер менеджера менеджером сотрудник сотрудника сотрудником специалист специалистом живой',
    around:
      'с со к на живым живого настоящим реальным пожалуйста я хочу хотел хотела бы можно нужен нужна нужно поговорить говорить пообщаться связаться соедините соедини меня позовите позови переключите переключи сейчас здравствуйте привет мне',
    phrases:
      'не хочу говорить с ботом|не хочу общаться с ботом|не хочу разговаривать с ботом|не с ботом|не с роботом|хватит бота|помощь человека|поговорить с менеджером|поговорить с руководителем|поговорить с начальником|позовите менеджера|позовите руководителя|позовите человека|позовите старшего|переключите меня на|соедините с человеком|соедините с менеджером|кто нибудь позвонить|кто нибудь мне позвонить|можете мне позвонить|вы можете мне позвонить|перезвоните мне|позвоните мне|поговорить по телефону|живой оператор|живого оператора|живому оператору|настоящим человеком|нужен живой|с кем нибудь поговорить|поговорить с кем нибудь|поговорить с человеком|поговорить с оператором|с живым человеком|соедините с оператором|соедините меня с|позовите оператора|переключите на оператора|переведите на оператора|живой человек|связаться с оператором',
  },
  uk: {
    people:
      'людина людину людиною оператор оператора оператору оператором менеджер менеджера менеджером працівник працівником спеціаліст спеціалістом',
    around:
      'з із зі до на живою живу жива справжньою будь ласка я хочу хотів хотіла би можна потрібен потрібна потрібно поговорити говорити звязатися зєднайте мене покличте зараз вітаю привіт мені',
    phrases:
      'не хочу говорити з ботом|не хочу спілкуватися з ботом|не з ботом|не з роботом|поговорити з менеджером|поговорити з керівником|покличте менеджера|покличте керівника|покличте людину|хтось мені подзвонити|хтось мені зателефонувати|хтось зателефонувати мені|зателефонуйте мені|передзвоніть мені|подзвоніть мені|живий оператор|живого оператора|допомога людини|поговорити телефоном|зєднайте з людиною|з кимось поговорити|поговорити з кимось|справжньою людиною|поговорити з людиною|поговорити з оператором|з живою людиною|зєднайте з оператором|зєднайте мене з|покличте оператора|переключіть на оператора|жива людина',
  },
  ar: {
    people: 'إنسان انسان شخص موظف موظفة وكيل ممثل بشري مندوب',
    around:
      'مع إلى الى من أريد اريد ابغى أبغى عايز بدي أتحدث اتحدث التحدث أتكلم اتكلم التكلم التواصل تواصل حقيقي خدمة العملاء فضلك لو سمحت الآن الان مرحبا أن ان بشري',
    phrases:
      'لا أريد التحدث مع روبوت|لا أريد التحدث إلى روبوت|لا أريد التحدث مع بوت|لا أريد روبوت|مساعدة بشرية|دعم بشري|التحدث مع المدير|التحدث إلى المدير|أتحدث مع المدير|أتكلم مع المدير|أريد المدير|حولني إلى|حولوني إلى|وصلني بموظف|لأحد الاتصال بي|لأحد أن يتصل بي|أن يتصل بي أحد|هل يمكنكم الاتصال بي|التحدث مع أحد|أتحدث مع أحد|أتكلم مع أحد|إنسان حقيقي|التحدث مع خدمة العملاء|أكلم موظف|أكلم أحد|التحدث مع شخص|التحدث إلى شخص|التحدث مع موظف|التحدث إلى موظف|أتحدث مع شخص|أتكلم مع شخص|اتكلم مع موظف|شخص حقيقي|موظف خدمة العملاء|ممثل خدمة العملاء',
  },
  he: {
    people: 'אדם נציג נציגה נציגת אנושי אנושית מישהו מישהי בנאדם',
    around: 'עם אל אני רוצה לדבר בבקשה אפשר צריך צריכה שירות אמיתי אמיתית חי עכשיו שלום תעביר אותי לקוחות',
    phrases: 'לדבר עם נציג|לדבר עם אדם|לדבר עם מישהו|נציג אנושי|נציג שירות|מענה אנושי|בן אדם',
  },
  hi: {
    people: 'इंसान व्यक्ति एजेंट प्रतिनिधि आदमी insaan agent executive',
    around:
      'से किसी एक असली मुझे बात करनी करना है चाहता चाहती हूँ हूं कृपया कराओ कराइए करवाओ ग्राहक सेवा mujhe se baat karni karna hai kisi real asli please chahiye',
    phrases:
      'इंसान से बात|व्यक्ति से बात|एजेंट से बात|किसी से बात|प्रतिनिधि से बात|agent se baat|insaan se baat|kisi se baat karni|customer care se baat',
  },
  id: {
    people: 'manusia orang agen petugas operator admin cs staf',
    around:
      'saya mau ingin bisa tolong mohon dengan ke sama bicara berbicara ngobrol chat hubungi hubungkan sambungkan asli nyata langsung sekarang halo kak customer service',
    phrases:
      'bicara dengan manusia|bicara dengan orang|berbicara dengan manusia|berbicara dengan orang|bicara dengan petugas|bicara dengan agen|bicara dengan cs|hubungkan ke cs|hubungkan dengan agen|orang asli',
  },
  vi: {
    people: 'người viên',
    around:
      'nhân tư vấn thật với nói chuyện tôi mình em muốn gặp cho cần xin vui lòng trực tiếp chat bây giờ chào hỗ trợ được không',
    phrases:
      'gặp nhân viên|gặp tư vấn viên|nói chuyện với người|nói chuyện với nhân viên|người thật|nhân viên tư vấn|nhân viên hỗ trợ',
  },
  zh: {
    people: '人工 真人 客服 转人工 轉人工 人工客服 人工服务 人工服務 转客服 轉客服',
    around: '',
    phrases:
      '转人工|轉人工|人工客服|人工服务|人工服務|真人客服|找真人|找人工|和真人|跟真人|與真人|联系客服|聯絡客服',
  },
  ja: {
    people: 'オペレーター 担当者 人間 有人 スタッフ',
    around: '',
    phrases:
      '人と話し|人間と話|担当者と話|担当者につな|担当者に繋|オペレーターと話|オペレーターにつな|オペレーターに繋|有人対応|有人チャット|スタッフと話',
  },
  ko: {
    people: '상담원 상담사 사람 직원 상담원과 상담원이랑 상담사와 사람과 사람이랑 직원과 상담원연결',
    around:
      '연결 연결해 연결해줘 연결해주세요 주세요 해주세요 이야기 얘기 대화 통화 하고 싶어요 싶습니다 싶어 할래요 바꿔주세요 좀 실제 진짜 을 를 부탁드립니다 안녕하세요',
    phrases:
      '상담원 연결|상담사 연결|상담원과|상담사와|사람과 이야기|사람이랑 얘기|사람과 대화|직원과 통화|실제 사람|진짜 사람',
  },
  sv: {
    people: 'människa person medarbetare handläggare kundtjänst någon agent',
    around:
      'en ett riktig levande med till snälla tack jag vill skulle vilja kan få prata tala chatta koppla mig nu hej från',
    phrases:
      'prata med en människa|prata med en person|prata med någon|tala med en människa|tala med en person|tala med någon|prata med en medarbetare|riktig människa|riktig person|prata med kundtjänst',
  },
}
