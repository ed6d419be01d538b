print("this script has had its day")
