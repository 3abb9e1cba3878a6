DA.exercise("11.2")  # removes what an earlier attempt created


def check_silence(processor):
    tester = tester_of(processor)
    assert tester.test("T", heard(1, 30)) == [alarm("T", 1 * MINUTE)]  # both in one batch
    assert tester.test("T", heard(40)) == []  # exactly ten minutes later
    assert tester.setWatermark(55 * MINUTE) == [alarm("T", 40 * MINUTE)]
    assert tester.test("T", heard(60)) == []  # it has been reported


check_silence(EachSilence())
